/**
 * `/docs/protos.tar.gz`: the protos for clients in other languages, as one folder that buf and other compilers can use.
 * The files that a generator makes have the paths of its protos, and Python's standard library has a module
 * `platform`. So our protos lie below `platform_api` there. Their packages and services keep their names.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, relative, sep } from "node:path";
import { create } from "tar";

const folder = "protos";

const readme = `# The protos of Platform API

These are the protos that this platform serves. The guide at /docs/grpc shows how to generate clients in Go and Python
from them. The folders buf and google contain the protos of others that they import.
`;

const bufYaml = "version: v2\n";

/**
 * Returns the files of the archive by their paths below `protos`, in order. `from` is the checkout.
 */
function protoFiles(from: string): Map<string, string> {
  const ours = readProtos(join(from, "schema/proto"));
  const others = readProtos(join(from, "schema/third_party"));
  const moved = [...ours].map(([path, text]): [string, string] => [
    renamed(path),
    text.replaceAll(/^import (?:public )?"platform\//gm, (line) => `${line.slice(0, -1)}_api/`),
  ]);
  const all = [...moved, ...others, ["README.md", readme], ["buf.yaml", bufYaml]] as const;
  return new Map(all.toSorted(([path], [other]) => (path < other ? -1 : 1)));
}

const renamed = (path: string) => path.replace(/^platform\//, "platform_api/");

function readProtos(root: string): Map<string, string> {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile() && entry.name.endsWith(".proto"))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(root, path).replaceAll(sep, "/"), readFileSync(path, "utf8")]),
  );
}

/** Returns the archive. The same protos always give the same bytes. */
export function protosArchive(from: string): Buffer {
  const stage = mkdtempSync(join(tmpdir(), "platform-protos-"));
  try {
    const files = protoFiles(from);
    for (const [path, text] of files) {
      const target = join(stage, folder, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, text, { mode: 0o644 });
    }
    const file = join(stage, "protos.tar.gz");
    const paths = [...files.keys()].map((path) => `${folder}/${path}`);
    create(
      { sync: true, file, cwd: stage, gzip: { level: 9 }, portable: true, mtime: new Date(0) },
      paths,
    );
    return readFileSync(file);
  } finally {
    rmSync(stage, { recursive: true });
  }
}
