ALTER TABLE `vex_subjects` ADD `csaf` text;--> statement-breakpoint
ALTER TABLE `vex_subjects` DROP COLUMN `product_version`;
