"""Components for villages that share a resource."""
