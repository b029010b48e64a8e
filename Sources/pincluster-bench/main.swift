print("pincluster-bench")
