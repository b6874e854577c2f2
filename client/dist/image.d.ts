/** Names of images. */
/** An image and one of its tags. */
export interface Image {
    /** Namespace and path: `example.com/python`. */
    name: string;
    tag: string;
}
/**
 * Reads `example.com/python:latest`; the host of the registry may stand in front, and without a tag
 * it is `latest`. Throws a TypeError for a digest, which has no history, and for what is no image.
 */
export declare function readImage(text: string, host: string): Image;
