"""What each SGLang release accepts, and how its parser binds what a launch passes."""
