"""Types of data processing (Sahara)."""
