CREATE TABLE `write_guards` (
	`reason` text NOT NULL
);
