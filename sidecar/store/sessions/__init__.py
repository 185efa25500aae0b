"""Chat sessions in the file: rows of their things, their commands, their texts, their prompts."""
