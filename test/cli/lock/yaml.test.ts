/** Image references in compose files, Kubernetes manifests and values of Helm charts. */
import { describe, expect, test } from "vitest";
import { plantedDigest } from "../../paging/tree.ts";
import { host, readText, rewritten } from "./rewritten.ts";

const digest = plantedDigest(1);
const referencesIn = (path: string, text: string) =>
  readText(path, text).places.map(({ reference }) => reference.slice(host.length + 1));
const pinned = (path: string, text: string) => {
  const { text: after, problems } = rewritten(readText(path, text));
  expect(problems).toEqual([]);
  return after;
};

describe("a compose file", () => {
  const service = (rest: string) => `services:\n  web:\n    ${rest}\n`;

  test.each([
    ["plain", `image: ${host}/a/b:1 # c`, `b:1@${digest} # c`],
    ["quoted", `image: "${host}/a/b:1"`, `b:1@${digest}"`],
    ["in single quotes", `image: '${host}/a/b'`, `b:latest@${digest}'`],
    ["folded", `image: >-\n      ${host}/a/b:1\n    x: y`, `b:1@${digest}\n    x: y`],
    [
      "with an anchor and a tag",
      `image: &i !!str ${host}/a/b:1`,
      `&i !!str ${host}/a/b:1@${digest}`,
    ],
    ["with a default", `image: ${host}/a/b:\${TAG:-1}`, `\${TAG:-1@${digest}}`],
    ["with a default registry", `image: "\${R:-${host}}/a/b:1"`, `}/a/b:1@${digest}"`],
    ["in a flow", `{image: ${host}/a/b:1, x: 1}`, `b:1@${digest}, x: 1}`],
    [
      "as a context",
      `build: {additional_contexts: {c: docker-image://${host}/a/b:1}}`,
      `b:1@${digest}}}`,
    ],
    [
      "in a list of contexts",
      `build:\n      additional_contexts: [c=docker-image://${host}/a/b:1]`,
      `b:1@${digest}]`,
    ],
    [
      "as a volume",
      `volumes: [{type: image, source: ${host}/a/b:1, target: /x}]`,
      `b:1@${digest}, t`,
    ],
  ])("%s: the digest follows the tag", (_, rest, part) => {
    const text = service(rest);
    expect(referencesIn("compose.yaml", text)).toHaveLength(1);
    expect(pinned("compose.yaml", text)).toContain(part);
  });

  test("images of merged maps are found once, unless the service has its own", () => {
    const text = `x-a: &a {image: ${host}/a/b:1}\nservices:\n  one: {<<: *a}\n  two: {<<: [*a]}\n  three: *a\n  four: {<<: *a, image: x}\n`;
    const found = readText("docker-compose.prod.yml", text);
    expect(found.places.map(({ line, column }) => [line, column])).toEqual([
      [1, 17],
      [1, 17],
      [1, 17],
    ]);
    expect(rewritten(found).text).toBe(text.replace(":1}", `:1@${digest}}`));
  });

  test("a value without a default is a problem if it names the platform, and a note if not", () => {
    const text = `services:\n  a: {image: "${host}/a/b:\${T:?set it}"}\n  b: {image: "\${IMAGE}"}\n  c: {image: "$$x"}\n`;
    expect(readText("compose.yaml", text)).toMatchObject({
      places: [],
      problems: [{ line: 2, column: 15, message: expect.stringContaining("the variable T") }],
      notes: [{ line: 3, message: expect.stringContaining("the variable IMAGE") }],
    });
  });

  test("a reference with escapes is a problem", () => {
    const text = service(`image: "${host}\\/a/b:1"`);
    expect(readText("compose.yaml", text)).toMatchObject({
      places: [],
      problems: [{ line: 3, message: expect.stringContaining("written with escapes") }],
    });
  });

  test("other images and builds are left alone", () => {
    const text = service(`image: postgres:16\n    build: {additional_contexts: {x: ./${host}}}`);
    expect(readText("compose.yaml", text)).toMatchObject({ places: [], problems: [], notes: [] });
  });

  test("a file of any name is a compose file if it has services", () => {
    expect(referencesIn("stack.yml", service(`image: ${host}/a/b:1`))).toEqual(["a/b:1"]);
  });
});

describe("a Kubernetes manifest", () => {
  test("containers of any workload are found, in lists and several documents", () => {
    const pod = (name: string, rest = "") =>
      `{containers: [{image: "${host}/a/${name}:1"}]${rest}}`;
    const text = `# nothing
---
apiVersion: v1
kind: List
items:
  - {apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: ${pod("deploy")}}}}
  - {apiVersion: batch/v1, kind: CronJob, spec: {jobTemplate: {spec: {template: {spec: ${pod("cron")}}}}}}
---
{apiVersion: v1, kind: Pod, spec: ${pod("pod", `, initContainers: [{image: ${host}/a/init}], ephemeralContainers: [{image: ${host}/a/debug:1}], volumes: [{image: {reference: ${host}/a/data:1}}]`)}}
---
{apiVersion: rollouts.example.com/v1, kind: Rollout, spec: {template: {spec: ${pod("rollout")}}}}
`;
    expect(referencesIn("app.yaml", text)).toEqual([
      ...[
        "a/deploy:1",
        "a/cron:1",
        "a/pod:1",
        "a/init:latest",
        "a/debug:1",
        "a/data:1",
        "a/rollout:1",
      ],
    ]);
  });

  test("containers of an alias are found", () => {
    const text = `apiVersion: v1\nkind: Pod\nx: &c\n  - image: ${host}/a/b:1\nspec: {containers: *c}\n`;
    expect(pinned("pod.yaml", text)).toContain(`- image: ${host}/a/b:1@${digest}\n`);
  });

  test.each([
    ["an image elsewhere", `{apiVersion: v1, kind: ConfigMap, data: {image: ${host}/a/b:1}}`],
    ["a document without a kind", `spec: {containers: [{image: ${host}/a/b:1}]}`],
  ])("%s is left alone", (_, text) => {
    expect(readText("x.yaml", text)).toMatchObject({ places: [], problems: [], notes: [] });
  });

  test("the values in a HelmRelease are found", () => {
    const text = `apiVersion: helm.toolkit.fluxcd.io/v2\nkind: HelmRelease\nspec: {values: {image: {repository: ${host}/a/b, tag: v1}}}\n`;
    expect(pinned("release.yaml", text)).toContain(`tag: v1@${digest}}`);
  });
});

describe("values of a chart", () => {
  test.each([
    ["a tag", `image:\n  repository: ${host}/a/b\n  tag: "1.0" # t\n`, `tag: "1.0@${digest}" # t`],
    [
      "a registry",
      `image: {registry: ${host}, repository: a/b, tag: 1.0-x}`,
      `tag: 1.0-x@${digest}}`,
    ],
    ["a whole number", `image: {repository: ${host}/a/b, tag: 16}`, `tag: 16@${digest}}`],
    [
      "an empty digest",
      `image: {repository: ${host}/a/b, tag: v1, digest: ""}`,
      `digest: "${digest}"}`,
    ],
    [
      "a digest without a value",
      `image:\n  repository: ${host}/a/b\n  digest:\n  tag: v1`,
      `digest: ${digest}\n`,
    ],
    [
      "a digest",
      `image: {repository: ${host}/a/b, tag: v1, digest: ${plantedDigest(9)}}`,
      `v1, digest: ${digest}}`,
    ],
    [
      "a tag with a digest",
      `image: {repository: ${host}/a/b, tag: "v1@${plantedDigest(9)}"}`,
      `"v1@${digest}"`,
    ],
    ["a string", `web:\n  sidecarImage: ${host}/a/b:v1`, `b:v1@${digest}`],
    ["a string and a tag", `web: {image: ${host}/a/b, tag: v1}`, `tag: v1@${digest}}`],
    [
      "a global registry",
      `global: {imageRegistry: ${host}}\nimage: {registry: docker.io, repository: a/b, tag: v1}`,
      `v1@${digest}}`,
    ],
    ["a list", `jobs: [{image: {repository: ${host}/a/b, tag: v1}}]`, `v1@${digest}}`],
  ])("with %s, the digest is written where charts expect it", (_, text, part) => {
    const found = readText("values-prod.yaml", text);
    expect(found.places).toHaveLength(1);
    const { text: after, problems } = rewritten(found);
    expect(problems).toEqual([]);
    expect(after).toContain(part);
  });

  test.each([
    ["tag: 1.20", "is a number, which Helm changes to 1.2. Put it in quotes."],
    ['tag: ""', "The chart decides which tag"],
    ["pullPolicy: Always", "The chart decides which tag"],
    ["tag: v1, digest: sha256:12", "is not a sha256 or sha512 digest"],
  ])("%s is a problem", (rest, message) => {
    const { places, problems } = readText(
      "values.yaml",
      `image: {repository: ${host}/a/b, ${rest}}`,
    );
    expect(places).toEqual([]);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toContain(message);
  });

  test("a digest without a tag is neither a reference nor a problem", () => {
    const text = `image: {repository: ${host}/a/b, tag: "", digest: ${digest}}`;
    expect(readText("values.yaml", text)).toMatchObject({ places: [], problems: [] });
  });

  test("two images that share one tag cannot both be written", () => {
    const text = `x: &x {tag: v1}\none: {image: {<<: *x, repository: ${host}/a/b}}\ntwo: {image: {<<: *x, repository: ${host}/a/c}}`;
    const { text: after, problems } = rewritten(readText("values.yaml", text));
    expect(problems.map(({ message }) => message)).toEqual([
      `The digest of ${host}/a/c:v1 cannot be written here, because another image shares its tag.`,
    ]);
    expect(after).toContain("v1@");
  });
});

describe("a file that cannot be parsed", () => {
  test("is a problem if it names the platform", () => {
    const { problems } = readText("x.yaml", `a: [\nb: ${host}/a/b:1\n`);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.message).toMatch(/^This is not valid YAML/);
    expect(readText("x.yaml", "a: [\nb: c\n").problems).toEqual([]);
  });

  test("is only noted if it is a template", () => {
    const text = `image: ${host}/a/b:1\n{{- if .Values.x }}\n  a: b\n{{ end }}`;
    expect(readText("t.yaml", text)).toMatchObject({
      problems: [],
      notes: [{ message: expect.stringContaining("template") }],
    });
  });

  test("is a problem if it has too many levels", () => {
    const text = `${"[".repeat(20_000)} ${host}/a/b:1`;
    expect(readText("x.yaml", text).problems).toMatchObject([
      { message: expect.stringContaining("It has too many levels.") },
    ]);
  });
});
