/**
 * The address of a host without trailing slashes; a path stays. Throws a TypeError for what is no
 * http or https URL, or has a user, a query or a fragment.
 */
export declare function addressOf(text: string, name: string): string;
