gsort --version
