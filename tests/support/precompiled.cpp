/// Stands for the precompiled header that the tests share: see tests/CMakeLists.txt.
int main() {}
