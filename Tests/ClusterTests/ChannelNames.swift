import Cluster

/// `Wire` has a message of the same name; these tests mean the core's.
typealias ChannelAnswer = Cluster.ChannelAnswer
