"""Open scenes: free acts, a referee, and consequences that hard rules bound."""
