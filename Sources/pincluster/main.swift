print("pincluster")
