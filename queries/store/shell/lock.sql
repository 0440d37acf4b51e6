-- Take from a reader what reaches beyond the store, and the means to get it back.
SET enable_external_access = false;
SET autoload_known_extensions = false;
SET autoinstall_known_extensions = false;
SET allow_community_extensions = false;
SET max_temp_directory_size = '4GB';
SET lock_configuration = true
