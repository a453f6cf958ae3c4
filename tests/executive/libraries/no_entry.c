/* A library, but not of models; also no driver. */
int something_else(void);
int something_else(void) { return 42; }
