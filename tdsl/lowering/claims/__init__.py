"""Reading what an outlined claim computes, and writing the code of its elements: for every backend."""
