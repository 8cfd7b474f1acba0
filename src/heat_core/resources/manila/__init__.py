"""Types of shared file systems (Manila)."""
