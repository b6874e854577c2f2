CREATE TABLE `advisory_aliases` (
	`alias` text NOT NULL,
	`advisory_uid` text NOT NULL,
	PRIMARY KEY(`alias`, `advisory_uid`)
);
