/** Names of images. */
/**
 * Reads `example.com/python:latest`; the host of the registry may stand in front, and without a tag
 * it is `latest`. Throws a TypeError for a digest, which has no history, and for what is no image.
 */
export function readImage(text, host) {
    if (text.includes("@"))
        throw new TypeError(`${text} names a digest: only a tag has a history`);
    const bare = text.startsWith(`${host}/`) ? text.slice(host.length + 1) : text;
    const [, name = "", tag = "latest"] = /^([^:]+\/[^:]+?)(?::([^:/]+))?$/.exec(bare) ?? [];
    // A URL would take these for steps up, out of the image.
    const isStep = `${name}/${tag}`.split("/").some((part) => /^\.{0,2}$/.test(part));
    if (isStep)
        throw new TypeError(`${text} is not of the form <namespace>/<image>:<tag>`);
    return { name, tag };
}
