// What?
int main() {}
