/** GitHub's REST API in memory, as far as the action calls it: git objects, branches and pull requests. */
import { createHash } from "node:crypto";
import { type Answer, type Received, startHttpServer } from "./http_server.ts";

interface Entry {
  path: string;
  mode: string;
  type: string;
  sha: string;
}

interface Commit {
  message: string;
  tree: string;
  parents: string[];
}

export interface PullRequest {
  number: number;
  state: "open" | "closed";
  title: string;
  body: string;
  head: string;
  base: string;
}

const shaOf = (value: unknown) => createHash("sha1").update(JSON.stringify(value)).digest("hex");

const token = "github-token";

export class GithubApi {
  readonly repository = "acme/shop";
  readonly token = token;
  readonly #blobs = new Map<string, Buffer>();
  readonly #trees = new Map<string, Entry[]>();
  readonly #commits = new Map<string, Commit>();
  readonly branches = new Map<string, string>();
  readonly pullRequests: PullRequest[] = [];
  /** The requests that change something, such as `POST /pulls`. */
  readonly writes: string[] = [];
  /** Whether lists of files leave some of them out. */
  isTruncated = false;
  #server: Awaited<ReturnType<typeof startHttpServer>> | undefined;

  static async start(): Promise<GithubApi> {
    const api = new GithubApi();
    api.#server = await startHttpServer((request) => api.#answer(request));
    return api;
  }

  get url(): string {
    return this.#server?.url ?? "";
  }

  close = () => this.#server?.close();

  /** Adds a commit with all files of the main branch. */
  commitFiles(files: Record<string, string | Buffer>): string {
    const entries = Object.entries(files).map(([path, content]) => ({
      ...{ path, mode: path.endsWith(".sh") ? "100755" : "100644", type: "blob" },
      sha: this.#addBlob(Buffer.from(content)),
    }));
    const parents = [this.branches.get("main") ?? []].flat();
    const sha = this.#addCommit({ message: "files", tree: this.#addTree(entries), parents });
    this.branches.set("main", sha);
    return sha;
  }

  /** Returns the text of each file of a branch. */
  filesOf(branch: string): Record<string, string> {
    const commit = this.commitOf(branch);
    const entries = this.#trees.get(commit.tree) ?? [];
    return Object.fromEntries(entries.map(({ path, sha }) => [path, String(this.#blobs.get(sha))]));
  }

  /** Returns the modes of the files of a branch. */
  modesOf(branch: string): Record<string, string> {
    const entries = this.#trees.get(this.commitOf(branch).tree) ?? [];
    return Object.fromEntries(entries.map(({ path, mode }) => [path, mode]));
  }

  commitOf(branch: string): Commit {
    const commit = this.#commits.get(this.branches.get(branch) ?? "");
    if (!commit) throw new Error(`there is no branch ${branch}`);
    return commit;
  }

  #addBlob(content: Buffer): string {
    const sha = shaOf(content.toString("base64"));
    this.#blobs.set(sha, content);
    return sha;
  }

  #addTree(entries: Entry[]): string {
    const sorted = [...entries].sort((a, b) => (a.path < b.path ? -1 : 1));
    const sha = shaOf(sorted);
    this.#trees.set(sha, sorted);
    return sha;
  }

  #addCommit(commit: Commit): string {
    const sha = shaOf([commit, this.#commits.size]);
    this.#commits.set(sha, commit);
    return sha;
  }

  #answer({ method, url, headers, body }: Received): Answer {
    if (headers.authorization !== `Bearer ${token}`) return { status: 401 };
    const root = `/repos/${this.repository}`;
    if (!url.pathname.startsWith(root)) return { status: 404 };
    const path = url.pathname.slice(root.length);
    if (method === "GET") return this.#read(path, url.searchParams);
    this.writes.push(`${method} ${path}`);
    return this.#write(method, path, JSON.parse(String(body)));
  }

  #read(path: string, query: URLSearchParams): Answer {
    const last = decodeURIComponent(path.replace(/^.*\//, ""));
    if (path === "") return ok({ default_branch: "main" });
    if (path.startsWith("/commits/")) return ok(this.#described(this.branches.get(last) ?? last));
    if (path.startsWith("/branches/")) {
      const sha = this.branches.get(last);
      return sha ? ok({ name: last, commit: this.#described(sha) }) : { status: 404 };
    }
    if (path.startsWith("/git/trees/")) {
      return ok({ tree: this.#trees.get(last) ?? [], truncated: this.isTruncated });
    }
    if (path.startsWith("/git/blobs/")) {
      return ok({ content: this.#blobs.get(last)?.toString("base64"), encoding: "base64" });
    }
    if (path === "/pulls") {
      return ok(
        this.pullRequests.filter(
          ({ state, head, base }) =>
            state === query.get("state") &&
            `acme:${head}` === query.get("head") &&
            base === query.get("base"),
        ),
      );
    }
    return { status: 404 };
  }

  #described(sha: string) {
    const { tree, parents } = this.#commits.get(sha) ?? { tree: "", parents: [] };
    return { sha, commit: { tree: { sha: tree } }, parents: parents.map((one) => ({ sha: one })) };
  }

  // biome-ignore lint/suspicious/noExplicitAny: each request has a body of its own
  #write(method: string, path: string, body: any): Answer {
    if (path === "/git/trees") return created({ sha: this.#changedTree(body) });
    if (path === "/git/commits") return created({ sha: this.#addCommit(body) });
    if (path === "/git/refs") {
      const name = body.ref.replace("refs/heads/", "");
      if (this.branches.has(name)) return { status: 422, body: { message: "exists" } };
      this.branches.set(name, body.sha);
      return created({ ref: body.ref });
    }
    const [, branch] = /^\/git\/refs\/heads\/(.+)$/.exec(path) ?? [];
    if (method === "PATCH" && branch) {
      // It is not a descendant of the commit before.
      if (body.force !== true) return { status: 422, body: { message: "not a fast forward" } };
      this.branches.set(branch, body.sha);
      return ok({ ref: path });
    }
    if (path === "/pulls") return this.#openPullRequest(body);
    const [, number] = /^\/pulls\/(\d+)$/.exec(path) ?? [];
    const found = this.pullRequests.find((one) => one.number === Number(number));
    return found ? ok(Object.assign(found, body)) : { status: 404 };
  }

  #changedTree({
    base_tree: base,
    tree,
  }: {
    base_tree: string;
    tree: (Entry & { content: string })[];
  }) {
    const entries = new Map((this.#trees.get(base) ?? []).map((entry) => [entry.path, entry]));
    for (const { content, ...entry } of tree) {
      entries.set(entry.path, { ...entry, sha: this.#addBlob(Buffer.from(content)) });
    }
    return this.#addTree([...entries.values()]);
  }

  #openPullRequest(given: Omit<PullRequest, "number" | "state">): Answer {
    const isOpen = this.pullRequests.some(
      ({ head, state }) => head === given.head && state === "open",
    );
    if (isOpen) return { status: 422, body: { message: "a pull request already exists" } };
    const made = { ...given, number: this.pullRequests.length + 1, state: "open" as const };
    this.pullRequests.push(made);
    return created(made);
  }
}

const ok = (body: object): Answer => ({ status: 200, body });
const created = (body: object): Answer => ({ status: 201, body });
