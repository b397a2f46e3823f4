"""The figures of a report; they take plain numbers, and know neither runs nor statistics."""
