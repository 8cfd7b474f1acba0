"""Types that live inside the engine: OS::Heat::*."""
