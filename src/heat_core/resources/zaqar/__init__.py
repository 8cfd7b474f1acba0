"""Types of messages (Zaqar)."""
