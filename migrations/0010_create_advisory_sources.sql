CREATE TABLE `osv_records` (
	`uid` text PRIMARY KEY NOT NULL,
	`record` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `vex_subjects` (
	`uid` text PRIMARY KEY NOT NULL,
	`identity` text NOT NULL,
	`vulnerability` text NOT NULL,
	`product` text NOT NULL,
	`product_version` text DEFAULT '' NOT NULL,
	`subcomponent` text,
	`published` text DEFAULT '' NOT NULL
);
