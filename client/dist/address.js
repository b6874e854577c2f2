/**
 * The address of a host without trailing slashes; a path stays. Throws a TypeError for what is no
 * http or https URL, or has a user, a query or a fragment.
 */
export function addressOf(text, name) {
    const url = URL.canParse(text) ? new URL(text) : undefined;
    const isPlain = url && url.username + url.password + url.search + url.hash === "";
    if (!isPlain || !/^https?:$/.test(url.protocol)) {
        throw new TypeError(`${name} must be an http or https URL without a user, a query or a fragment`);
    }
    return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
}
