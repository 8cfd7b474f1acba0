"""heat_core.stack"""
