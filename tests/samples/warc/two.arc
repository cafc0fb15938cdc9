filedesc://a.arc 0.0.0.0 20050614070144 text/plain 77
1 1 InternetArchive
URL IP-address Archive-date Content-type Archive-length


http://www.example.org/ 192.0.2.1 20050614070150 text/html 203
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.

dns:example.org 192.0.2.1 20050614070150 text/html 203
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.
HTTP/1.1 200 OK

<p>Hello.

