import Codes

/// The structural rules, applied to what the visitor noted.
struct PayloadRules {
    let inspector: PayloadInspector
    let visitor: PayloadVisitor
    let kind: RequestKind
    let nowSeconds: Int64
    var report: PayloadReport

    init(
        inspector: PayloadInspector, visitor: PayloadVisitor, kind: RequestKind, nowSeconds: Int64, payloadBytes: Int
    ) {
        self.inspector = inspector
        self.visitor = visitor
        self.kind = kind
        self.nowSeconds = nowSeconds
        report = PayloadReport(payloadBytes: payloadBytes)
    }

    mutating func apply(_ bytes: Span<UInt8>) {
        guard visitor.isObject else { return add(.bodyNotObject, .error, at: 0, "") }
        guard let aps = visitor.aps else { return add(.apsMissing, .error, at: 0, "aps") }
        guard aps.kind == .object else { return add(.apsMissing, .error, at: aps.range.lowerBound, "aps") }
        checkEvent(bytes)
        checkTimestamp(bytes)
        checkContentState()
        checkAttributes()
        checkAlert()
        checkDates(bytes)
        checkInputPush(bytes)
        checkSize(aps.range, bytes)
        // Last, because there may be many of them: they must not crowd out an error.
        checkUnknownKeys(bytes)
    }

    mutating func add(
        _ code: Code, _ severity: Finding.Severity, at offset: Int, _ path: String, _ detail: String = ""
    ) {
        report.add(Finding(code, severity, at: offset, path: path, detail: detail))
    }

    /// A finding about a member of `aps` that is there.
    mutating func add(_ code: Code, _ severity: Finding.Severity, _ key: ApsKey, _ detail: String = "") {
        add(code, severity, at: visitor[key].spelled.lowerBound, key.path, detail)
    }

    /// A finding about a member of `aps` that is missing or of the wrong type.
    mutating func addMissing(_ code: Code, _ severity: Finding.Severity, _ key: ApsKey) {
        guard let kind = visitor[key].kind else {
            return add(code, severity, at: visitor.aps?.range.lowerBound ?? 0, key.path)
        }
        add(code, severity, key, "\(key.path) is \(kind.words)")
    }

    private mutating func checkUnknownKeys(_ bytes: Span<UInt8>) {
        for range in visitor.unknown {
            // The reader needs the beginning of a long name only.
            let name = JSONText.string(bytes, range).prefix(64)
            add(.apsUnknownKey, .warning, at: range.lowerBound - 1, "aps.\(name)")
        }
    }

    private mutating func checkEvent(_ bytes: Span<UInt8>) {
        let member = visitor[.event]
        guard let found = member.kind else { return addMissing(.eventMissing, .error, .event) }
        for event in EventKind.allCases where found.isString {
            let name: StaticString = event == .start ? "start" : event == .update ? "update" : "end"
            if JSONText.equals(bytes, member.value, escaped: found == .escapedString, name) { report.event = event }
        }
        guard let event = report.event else { return add(.eventUnknown, .error, .event) }
        switch (kind, event) {
        case (.broadcast, .start): add(.eventStartOnBroadcast, .error, .event)
        case (.device, .start), (.start, .update), (.start, .end): add(.eventKindMismatch, .error, .event)
        default: break
        }
    }

    private mutating func checkContentState() {
        let member = visitor[.contentState]
        if member.kind == .object {
            report.contentStateRange = member.value
        } else if member.isPresent {
            addMissing(.contentStateType, .error, .contentState)
        } else if let event = report.event {
            let needed = event != .end
            addMissing(
                needed ? .contentStateMissing : .contentStateMissingOnEnd, needed ? .error : .info, .contentState)
        }
        if visitor[.attributes].kind == .object { report.attributesRange = visitor[.attributes].value }
        let total = (report.contentStateRange?.count ?? 0) + (report.attributesRange?.count ?? 0)
        if total > PayloadInspector.activityBytesMax {
            add(.contentStateTooLarge, .warning, .contentState, "content-state and attributes have \(total) bytes")
        }
    }

    private mutating func checkAttributes() {
        let type = visitor[.attributesType]
        if type.kind?.isString == true { report.attributesTypeRange = type.value }
        guard let event = report.event else { return }
        if event == .start {
            if report.attributesTypeRange == nil { addMissing(.attributesTypeMissing, .error, .attributesType) }
            if report.attributesRange == nil { addMissing(.attributesMissing, .error, .attributes) }
        } else if visitor[.attributes].isPresent {
            add(.attributesOnUpdate, .warning, .attributes)
        } else if type.isPresent {
            add(.attributesOnUpdate, .warning, .attributesType)
        }
    }

    private mutating func checkAlert() {
        if let kind = visitor[.alert].kind {
            if kind != .object { addMissing(.alertType, .error, .alert) }
        } else if report.event == .start {
            addMissing(.alertMissingOnStart, .error, .alert)
        }
        if let place = visitor.alert.flat { add(.alertFlatLoc, .error, at: place.offset, place.path) }
        if let place = visitor.alert.shape { add(.alertLocShape, .error, at: place.offset, place.path) }
        if let place = visitor.alert.sound { add(.alertType, .error, at: place.offset, place.path) }
        if visitor[.sound].isPresent { add(.soundOutsideAlert, .warning, .sound) }
    }
}
