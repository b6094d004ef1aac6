import Testing

/// Everything that runs real processes. The suites follow one another: each wants the machine for itself.
@Suite(.serialized) enum EndToEnd {}
