-- MySQL dump 10.13  Distrib 8.0.30, for Linux (x86_64)
--
-- Host: localhost    Database: test
-- ------------------------------------------------------
/*!40101 SET NAMES utf8 */;
DROP TABLE IF EXISTS `t`;
CREATE TABLE `t` (
  `a` int DEFAULT NULL
) ENGINE=InnoDB;
INSERT INTO `t` VALUES (1),(2);

-- Dump completed on 2022-11-28 12:00:00
