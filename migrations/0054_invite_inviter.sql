ALTER TABLE `group_invites` ADD `inviter_uid` text DEFAULT '' NOT NULL;
