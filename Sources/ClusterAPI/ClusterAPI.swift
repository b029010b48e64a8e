// ClusterAPI
