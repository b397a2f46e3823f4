"""Reports of studies, and reproductions of papers."""
