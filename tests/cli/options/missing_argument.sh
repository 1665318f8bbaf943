gsort x --memory
