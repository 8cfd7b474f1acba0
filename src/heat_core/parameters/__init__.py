"""heat_core.parameters"""
