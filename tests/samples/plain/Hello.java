package org.example.hello;

import java.util.List;

public class Hello {
}
