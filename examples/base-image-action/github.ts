/** The calls of GitHub's REST API that write a branch and its pull request. */

export interface GithubOptions {
  /** The URL of the API, which GitHub sets as `GITHUB_API_URL`. */
  url: string;
  /** The owner and the name, such as `acme/shop`. */
  repository: string;
  token: string;
}

/** A file of a tree. */
export interface TreeEntry {
  path: string;
  /** `100644` for a file, `100755` for a program. */
  mode: string;
  type: string;
  sha: string;
}

/** A file with a new content. */
export type ChangedFile = Pick<TreeEntry, "path" | "mode"> & { content: string };

interface PullRequest {
  number: number;
  title: string;
  body: string | null;
}

/** One repository on GitHub. Its methods throw an Error if GitHub responds with an error. */
export class GithubRepository {
  readonly #options: GithubOptions;

  constructor(options: GithubOptions) {
    this.#options = options;
  }

  /** Returns the name of the default branch, its newest commit, and the tree of that commit. */
  async base(): Promise<{ branch: string; commit: string; tree: string }> {
    const { default_branch: branch } = await this.#call<{ default_branch: string }>("GET", "");
    const { sha, commit } = await this.#call<{ sha: string; commit: { tree: { sha: string } } }>(
      "GET",
      `/commits/${encodeURIComponent(branch)}`,
    );
    return { branch, commit: sha, tree: commit.tree.sha };
  }

  /** Returns the files of a tree. */
  async files(tree: string): Promise<TreeEntry[]> {
    type Tree = { tree: TreeEntry[]; truncated: boolean };
    const found = await this.#call<Tree>("GET", `/git/trees/${tree}?recursive=1`);
    if (found.truncated) throw new Error("the repository has more files than GitHub lists");
    return found.tree.filter(({ type, mode }) => type === "blob" && mode !== "120000");
  }

  /** Returns the text of a file, or undefined if it is not UTF-8. */
  async text(sha: string): Promise<string | undefined> {
    const { content } = await this.#call<{ content: string }>("GET", `/git/blobs/${sha}`);
    try {
      const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
      return decoder.decode(Buffer.from(content, "base64"));
    } catch {
      return undefined;
    }
  }

  /** Points a branch to one commit on top of `base`. The branch stays the same if it already has these files. */
  async writeBranch(
    branch: string,
    base: { commit: string; tree: string },
    files: ChangedFile[],
    message: string,
  ): Promise<void> {
    const entries = files.map((file) => ({ ...file, type: "blob" }));
    const tree = await this.#call<{ sha: string }>("POST", "/git/trees", {
      base_tree: base.tree,
      tree: entries,
    });
    const current = await this.#branch(branch);
    const parents = current?.parents.map(({ sha }) => sha) ?? [];
    if (current?.commit.tree.sha === tree.sha && parents.join() === base.commit) return;
    const commit = await this.#call<{ sha: string }>("POST", "/git/commits", {
      ...{ message, tree: tree.sha, parents: [base.commit] },
    });
    if (!current) {
      await this.#call("POST", "/git/refs", { ref: `refs/heads/${branch}`, sha: commit.sha });
    } else {
      await this.#call("PATCH", `/git/refs/heads/${branch}`, { sha: commit.sha, force: true });
    }
  }

  #branch(branch: string) {
    type Commit = { commit: { tree: { sha: string } }; parents: { sha: string }[] };
    return this.#call<{ commit: Commit }>("GET", `/branches/${encodeURIComponent(branch)}`).then(
      ({ commit }) => commit,
      (error: unknown) => {
        if (error instanceof GithubError && error.status === 404) return undefined;
        throw error;
      },
    );
  }

  /** Opens the pull request of a branch, or changes its text if it is already open. Returns its number. */
  async openPullRequest(
    branch: string,
    base: string,
    text: { title: string; body: string },
  ): Promise<number> {
    const [owner = ""] = this.#options.repository.split("/");
    const query = new URLSearchParams({ state: "open", head: `${owner}:${branch}`, base });
    const [open] = await this.#call<PullRequest[]>("GET", `/pulls?${query}`);
    if (!open) {
      const made = { ...text, head: branch, base };
      return (await this.#call<PullRequest>("POST", "/pulls", made)).number;
    }
    if (open.title !== text.title || open.body !== text.body) {
      await this.#call("PATCH", `/pulls/${open.number}`, text);
    }
    return open.number;
  }

  async #call<T>(method: string, path: string, body?: object): Promise<T> {
    const { url, repository, token } = this.#options;
    const response = await fetch(`${url}/repos/${repository}${path}`, {
      method,
      headers: {
        accept: "application/vnd.github+json",
        authorization: `Bearer ${token}`,
        "x-github-api-version": "2022-11-28",
        ...(body ? { "content-type": "application/json" } : {}),
      },
      ...(body ? { body: JSON.stringify(body) } : {}),
      signal: AbortSignal.timeout(30_000),
    });
    if (response.ok) return (await response.json()) as T;
    const said = (await response.text()).slice(0, 200);
    throw new GithubError(`GitHub responded to ${method} ${path} with`, response.status, said);
  }
}

/** An error of GitHub with its HTTP status. */
export class GithubError extends Error {
  readonly status: number;

  constructor(what: string, status: number, said: string) {
    super(`${what} ${status}: ${said}`);
    this.status = status;
  }
}
