"""heat_core.environment"""
