/** The pushes to the registry that write the most for their bytes. */
import {
  configType,
  descriptorOf,
  indexType,
  manifestType,
  pushBlob,
  type Target,
} from "../../distribution/client.ts";

const list = <Item>(length: number, item: (at: number) => Item): Item[] =>
  Array.from({ length }, (_, at) => item(at));

const digestOf = (at: number) => `sha256:${at.toString(16).padStart(64, "0")}`;
const config = descriptorOf("{}", configType);
const image = (more: object) => ({ mediaType: manifestType, config, layers: [], ...more });

interface LargePush {
  name: string;
  type: string;
  document: object;
  tags?: string[];
}

export const largePushes: LargePush[] = [
  {
    name: "an image with 50 tags",
    type: manifestType,
    document: image({}),
    tags: list(50, (at) => `t${at}`),
  },
  {
    name: "an index of 2,000 manifests that the repository does not have",
    type: indexType,
    document: {
      mediaType: indexType,
      manifests: list(2_000, (at) => ({
        digest: digestOf(at),
        size: 1,
        platform: { architecture: "a" },
      })),
    },
  },
  {
    name: "an image with 1,999 layers from elsewhere",
    type: manifestType,
    document: image({
      layers: list(1_999, (at) => ({
        ...{ digest: digestOf(at), size: 1, urls: ["a:"] },
        mediaType: "application/vnd.oci.image.layer.nondistributable.v1.tar",
      })),
    }),
  },
  {
    name: "a referrer with the longest annotations",
    type: manifestType,
    document: image({
      subject: { mediaType: manifestType, digest: digestOf(1), size: 1 },
      annotations: Object.fromEntries(list(2_000, (at) => [`a${at}`, ""])),
    }),
  },
  {
    name: "the largest manifest",
    type: manifestType,
    document: image({ annotations: { a: "x".repeat(4 * 1024 * 1024 - 1_000) } }),
  },
];

/** Pushes what a manifest needs. Returns the path of its push, and its body. */
export async function preparedPush(target: Target, { type, document, tags = [] }: LargePush) {
  await pushBlob(target, "{}");
  const body = JSON.stringify({ schemaVersion: 2, ...document });
  const { digest } = descriptorOf(body, type);
  const query = tags.map((tag) => `tag=${tag}`).join("&");
  return { path: `/v2/${target.name}/manifests/${digest}?${query}`, body };
}
