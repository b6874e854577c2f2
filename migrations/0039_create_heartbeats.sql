CREATE TABLE `heartbeats` (
	`id` integer PRIMARY KEY NOT NULL,
	`time` integer NOT NULL
);
