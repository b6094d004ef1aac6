extension Code {
    // Numbers: 1xx body, 2xx aps and event, 3xx timestamp, 4xx content state and attributes, 5xx alert and sound, 6xx
    // dates and relevance, 7xx input-push, 8xx headers, 9xx schemas and Swift source. Slugs are those of Docs/APNs.md
    // 4.8.

    /// Nothing was sent.
    public static let bodyEmpty = Code(
        "CRL-L100", "body-empty", "The payload is empty.", "Send a JSON object with an aps member.")
    /// The bytes are no UTF-8.
    public static let bodyNotUTF8 = Code(
        "CRL-L101", "body-not-utf8", "The payload is not UTF-8.", "Encode the payload as UTF-8.")
    /// The bytes are no JSON.
    public static let bodyNotJSON = Code(
        "CRL-L102", "body-not-json", "The payload is not well-formed JSON.", "Correct the payload at the byte named.")
    /// The root is no object.
    public static let bodyNotObject = Code(
        "CRL-L103", "body-not-object", "The payload is not a JSON object.", "Send an object with an aps member.")
    /// A name twice in one object.
    public static let bodyDuplicateKey = Code(
        "CRL-L104", "body-duplicate-key", "A key appears twice in one object; decoders differ in which one they take.",
        "Remove one of the two.")
    /// Compressed bytes.
    public static let bodyCompressed = Code(
        "CRL-L105", "body-compressed", "The payload is compressed; APNs takes plain JSON only.",
        "Send the payload uncompressed.")
    /// More bytes than APNs takes.
    public static let bodyTooLarge = Code(
        "CRL-L106", "body-too-large", "The payload with its timestamp is larger than APNs takes.",
        "Send at most 4096 bytes to activities and 5120 to channels.")
    /// More nesting than is read here.
    public static let bodyTooDeep = Code(
        "CRL-L107", "body-too-deep", "The payload is nested more deeply than is read here.",
        "Nest at most 32 objects and arrays.")
    /// More names in one object than are read here.
    public static let bodyTooManyKeys = Code(
        "CRL-L108", "body-too-many-keys", "One object has more keys than are read here.",
        "Use at most 256 keys in one object.")

    /// No aps object.
    public static let apsMissing = Code(
        "CRL-L200", "aps-missing", "There is no aps object; timestamp, event and content-state belong inside it.",
        "Put the Apple keys inside aps.")
    /// A key inside aps that Apple does not know.
    public static let apsUnknownKey = Code(
        "CRL-L201", "aps-unknown-key", "A key inside aps is not one of Apple's and is ignored by the device.",
        "Put keys of your own beside aps.")
    /// No event.
    public static let eventMissing = Code(
        "CRL-L202", "event-missing", "aps.event is missing.", "Set aps.event to start, update or end.")
    /// An event that does not exist.
    public static let eventUnknown = Code(
        "CRL-L203", "event-unknown", "aps.event is not start, update or end.", "Set aps.event to start, update or end.")
    /// A start on a channel.
    public static let eventStartOnBroadcast = Code(
        "CRL-L204", "event-start-on-broadcast", "A channel cannot start a Live Activity.",
        "Start with a push-to-start token and input-push-channel.")
    /// The event does not suit the token.
    public static let eventKindMismatch = Code(
        "CRL-L205", "event-kind-mismatch",
        "A push-to-start token takes only start, and an update token never takes start.",
        "Send the event to the other kind of token.")

    /// No timestamp.
    public static let timestampMissing = Code(
        "CRL-L300", "timestamp-missing", "aps.timestamp is missing.", "Set aps.timestamp to the time in seconds.")
    /// The timestamp is no number.
    public static let timestampType = Code(
        "CRL-L301", "timestamp-type", "aps.timestamp is not a number.",
        "Write the seconds since 1970 as a JSON number.")
    /// The timestamp is in milliseconds.
    public static let timestampMilliseconds = Code(
        "CRL-L302", "timestamp-milliseconds", "aps.timestamp looks like milliseconds.",
        "Write seconds since 1970.")
    /// The timestamp stands beside aps.
    public static let timestampMisplaced = Code(
        "CRL-L303", "timestamp-misplaced", "timestamp stands beside aps, where the device does not look.",
        "Move timestamp into aps.")
    /// The timestamp lies ahead of the clock.
    public static let timestampFuture = Code(
        "CRL-L304", "timestamp-future", "aps.timestamp lies in the future.",
        "Check the producer's clock: the device ignores everything older than this from now on.")
    /// The timestamp is not above the last one.
    public static let timestampNotNewer = Code(
        "CRL-L305", "timestamp-not-newer", "aps.timestamp is not above the last one of the activity or channel.",
        "Send a larger timestamp: the device shows the newest only, and equal ones have no order.")

    /// No content state.
    public static let contentStateMissing = Code(
        "CRL-L400", "content-state-missing", "A start or update has no aps.content-state.",
        "Add the whole content state.")
    /// The content state is no object.
    public static let contentStateType = Code(
        "CRL-L401", "content-state-type", "aps.content-state is not an object.",
        "Send the content state as a JSON object, not as a string that holds JSON.")
    /// An end without content state.
    public static let contentStateMissingOnEnd = Code(
        "CRL-L402", "content-state-missing-on-end",
        "An end without content state leaves the old content on the screen.",
        "Add the final content state if it differs.")
    /// More data than an activity may have.
    public static let contentStateTooLarge = Code(
        "CRL-L403", "content-state-too-large", "Content state and attributes are larger than an activity may have.",
        "Keep both together within 4096 bytes.")
    /// No attributes-type on start.
    public static let attributesTypeMissing = Code(
        "CRL-L410", "attributes-type-missing", "A start has no aps.attributes-type, or it is not a string.",
        "Name the app's ActivityAttributes type.")
    /// No attributes on start.
    public static let attributesMissing = Code(
        "CRL-L411", "attributes-missing", "A start has no aps.attributes, or it is not an object.",
        "Add the attributes as a JSON object.")
    /// A type that the app does not have.
    public static let attributesTypeUnknown = Code(
        "CRL-L412", "attributes-type-unknown", "aps.attributes-type names no type of the schema; the device drops it.",
        "Write the name of the app's ActivityAttributes struct, exactly.")
    /// Attributes where they are not used.
    public static let attributesOnUpdate = Code(
        "CRL-L413", "attributes-on-update", "Attributes are used by start only.", "Leave them out to save bytes.")

    /// A member that the Swift type needs.
    public static let schemaMissingKey = Code(
        "CRL-L420", "schema-missing-key", "A key that the app's type requires is missing; the device drops the update.",
        "Add the key, spelled exactly as the Swift property; only optionals may be left out.")
    /// A value of another type than the Swift property.
    public static let schemaType = Code(
        "CRL-L421", "schema-type", "A value does not decode into the Swift type of its property; the device drops it.",
        "Write the value as Docs/APNs.md 4.4 says for the Swift type.")
    /// No case of the Swift enum.
    public static let schemaEnum = Code(
        "CRL-L422", "schema-enum", "A value is no case of the Swift enum; the device drops the update.",
        "Use one of the cases, spelled exactly.")
    /// A date as text.
    public static let schemaDateString = Code(
        "CRL-L423", "schema-date-string", "A Swift Date is written as a string; the device drops the update.",
        "Write the seconds since 2001-01-01 as a number: Unix time less 978307200.")
    /// A date counted from 1970.
    public static let schemaDateEpoch = Code(
        "CRL-L424", "schema-date-epoch", "A Swift Date lies after 2040: it decodes, and shows the wrong time.",
        "Count from 2001-01-01: subtract 978307200 from Unix time.")

    /// A start without alert.
    public static let alertMissingOnStart = Code(
        "CRL-L500", "alert-missing-on-start", "A start has no aps.alert; the device drops it.",
        "Add an alert with title and body.")
    /// The alert is no object, or a part of it is of the wrong type.
    public static let alertType = Code(
        "CRL-L501", "alert-type", "aps.alert is not an object, or its sound is not a string.",
        "Send an object with title, body and sound.")
    /// The flat localisation keys of ordinary notifications.
    public static let alertFlatLoc = Code(
        "CRL-L502", "alert-flat-loc", "aps.alert uses the flat localisation keys; the device drops the whole push.",
        "Nest them: title and body as objects with loc-key and loc-args.")
    /// A title or body of the wrong shape.
    public static let alertLocShape = Code(
        "CRL-L503", "alert-loc-shape", "An alert's title or body is neither a string nor loc-key with loc-args.",
        "Send a string, or an object with a string loc-key and an array of strings loc-args.")
    /// A sound beside the alert.
    public static let soundOutsideAlert = Code(
        "CRL-L510", "sound-outside-alert", "aps.sound is not used by Live Activities.", "Put sound inside alert.")

    /// A date that is no number.
    public static let dateType = Code(
        "CRL-L600", "date-type", "A date is not a number.", "Write seconds since 1970 as a JSON number.")
    /// A date that is null.
    public static let dateNull = Code("CRL-L601", "date-null", "A date is null.", "Leave the key out.")
    /// A date in milliseconds.
    public static let dateMilliseconds = Code(
        "CRL-L602", "date-milliseconds", "A date looks like milliseconds.", "Write seconds since 1970.")
    /// A dismissal date on another event than end.
    public static let dismissalOnNonEnd = Code(
        "CRL-L610", "dismissal-on-non-end", "dismissal-date is used by end only.", "Leave it out until the end.")
    /// A dismissal date later than the system allows.
    public static let dismissalBeyond4h = Code(
        "CRL-L611", "dismissal-beyond-4h",
        "dismissal-date is more than four hours ahead; the system removes the card before.",
        "Choose a time within four hours.")
    /// A stale date that has passed.
    public static let staleInPast = Code(
        "CRL-L612", "stale-in-past", "stale-date has passed: the state is stale when it arrives.",
        "Advance stale-date with each update.")
    /// A relevance score that is no number.
    public static let relevanceType = Code(
        "CRL-L620", "relevance-type", "aps.relevance-score is not a number.", "Write it as a JSON number.")

    /// Token and channel at once.
    public static let inputPushConflict = Code(
        "CRL-L700", "input-push-conflict", "input-push-token and input-push-channel exclude each other.",
        "Keep the one the activity shall follow.")
    /// Not the number 1.
    public static let inputPushTokenValue = Code(
        "CRL-L701", "input-push-token-value", "aps.input-push-token is not the number 1.", "Write 1.")
    /// No channel ID.
    public static let inputPushChannelFormat = Code(
        "CRL-L702", "input-push-channel-format", "aps.input-push-channel is not a padded base64 channel ID.",
        "Use the channel ID exactly as APNs returned it.")
    /// Used by start only.
    public static let inputPushOnNonStart = Code(
        "CRL-L703", "input-push-on-non-start", "input-push keys are used by start only.", "Leave them out.")

    /// The path of the request.
    public static let headerPath = Code(
        "CRL-L800", "header-path", "The request's path is not one that APNs has for this kind of request.",
        "Send to /3/device/<token> or /4/broadcasts/apps/<bundle id>.")
    /// The topic.
    public static let headerTopic = Code(
        "CRL-L801", "header-topic", "apns-topic is missing, of the wrong form, or sent with a broadcast.",
        "Send <bundle id>.push-type.liveactivity to tokens, and no topic to channels.")
    /// The push type.
    public static let headerPushType = Code(
        "CRL-L802", "header-push-type", "apns-push-type is not liveactivity.", "Send liveactivity.")
    /// The priority.
    public static let headerPriority = Code(
        "CRL-L803", "header-priority", "apns-priority is not 5 or 10, or missing from a broadcast.", "Send 5 or 10.")
    /// A broadcast without expiration.
    public static let headerExpirationMissing = Code(
        "CRL-L804", "header-expiration-missing", "A broadcast has no apns-expiration.",
        "Send 0, or seconds since 1970 to a channel that stores the most recent message.")
    /// An expiration that is no number of seconds.
    public static let headerExpirationFormat = Code(
        "CRL-L805", "header-expiration-format", "apns-expiration is not a whole number of seconds since 1970.",
        "Send 0 or seconds since 1970.")
    /// An expiration where nothing is stored.
    public static let headerExpirationPolicy = Code(
        "CRL-L806", "header-expiration-policy",
        "apns-expiration is not 0 on a channel that stores nothing; APNs refuses it.", "Send 0.")
    /// An expiration that has no effect.
    public static let headerExpirationRange = Code(
        "CRL-L807", "header-expiration-range", "apns-expiration has passed, lies beyond what APNs stores, or is 0 for a start.",
        "Channels store for 8 hours, tokens for 30 days; give a start some minutes.")
    /// An identifier that is no UUID.
    public static let headerID = Code(
        "CRL-L808", "header-id", "apns-id or apns-request-id is not a UUID.", "Send 8-4-4-4-12 hexadecimal digits.")
    /// A collapse ID that is too long.
    public static let headerCollapseID = Code(
        "CRL-L809", "header-collapse-id", "apns-collapse-id is longer than 64 bytes, or sent with a broadcast.",
        "Shorten it; leave it out of broadcasts.")
    /// No channel ID.
    public static let headerChannelID = Code(
        "CRL-L810", "header-channel-id", "apns-channel-id is missing from a broadcast or not padded base64.",
        "Send the channel ID exactly as APNs returned it.")
    /// A header twice.
    public static let headerDuplicate = Code(
        "CRL-L811", "header-duplicate", "A header is sent twice; APNs refuses the request.", "Send it once.")
    /// A header that APNs does not know.
    public static let headerUnknown = Code(
        "CRL-L812", "header-unknown", "APNs knows no header of this name.", "Correct the name, or leave it out.")

    /// A schema file of the wrong form.
    public static let schemaUnreadable = Code(
        "CRL-L900", "schema-unreadable", "The schema file cannot be read.",
        "Compare it with Docs/Reference/Lint.md, or make one: carillon schema FILE.swift.")
    /// A type that the schema file has not, or none named where there are several.
    public static let schemaTypeUnknown = Code(
        "CRL-L901", "schema-type-unknown", "The schema file has no such type, or several and none was named.",
        "Name one of its types.", exit: .usage)
    /// Swift source outside of what is read.
    public static let sourceNotUnderstood = Code(
        "CRL-L910", "source-not-understood", "The Swift source has something that no schema can be made of.",
        "Write it as Docs/Reference/Lint.md says, or write the schema file by hand.")
    /// No type to make a schema of.
    public static let sourceWithoutAttributes = Code(
        "CRL-L911", "source-without-attributes", "No type in the Swift source conforms to ActivityAttributes.",
        "Give the file that declares it.")

    /// Area L: what the payload linter may say.
    static let lintCodes: [Code] = [
        bodyEmpty, bodyNotUTF8, bodyNotJSON, bodyNotObject, bodyDuplicateKey, bodyCompressed, bodyTooLarge, bodyTooDeep,
        bodyTooManyKeys, apsMissing, apsUnknownKey, eventMissing, eventUnknown, eventStartOnBroadcast,
        eventKindMismatch,
        timestampMissing, timestampType, timestampMilliseconds, timestampMisplaced, timestampFuture,
        timestampNotNewer,
        contentStateMissing, contentStateType, contentStateMissingOnEnd, contentStateTooLarge, attributesTypeMissing,
        attributesMissing, attributesTypeUnknown, attributesOnUpdate, schemaMissingKey, schemaType, schemaEnum,
        schemaDateString, schemaDateEpoch, alertMissingOnStart, alertType, alertFlatLoc, alertLocShape,
        soundOutsideAlert, dateType, dateNull, dateMilliseconds, dismissalOnNonEnd, dismissalBeyond4h, staleInPast,
        relevanceType, inputPushConflict, inputPushTokenValue, inputPushChannelFormat, inputPushOnNonStart,
        headerPath, headerTopic, headerPushType, headerPriority, headerExpirationMissing, headerExpirationFormat,
        headerExpirationPolicy, headerExpirationRange, headerID, headerCollapseID, headerChannelID, headerDuplicate,
        headerUnknown, schemaUnreadable, schemaTypeUnknown, sourceNotUnderstood, sourceWithoutAttributes,
    ]
}
