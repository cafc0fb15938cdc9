--
-- PostgreSQL database dump
--

-- Dumped from database version 15.1

SET statement_timeout = 0;
CREATE TABLE public.t (
    a integer
);
COPY public.t (a) FROM stdin;
1
2
\.

--
-- PostgreSQL database dump complete
--