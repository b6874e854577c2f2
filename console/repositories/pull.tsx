/** How to pull an image: by its tag, which can move, or by its digest, which cannot. */
import { useQuery } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { Repo, Tag } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import { useImageName } from "../data/references.ts";
import { Button } from "../elements/button.tsx";
import { CopyLine } from "../elements/copy.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { Loading } from "../elements/states.tsx";

/** The command for the tag `latest`, otherwise for the tag that changed last. Nothing if there is no tag. */
export function PullBox({ repo }: { repo: Repo }) {
  const client = useClient();
  const image = useImageName(repo);
  const [isPinned, setPinned] = useState(false);
  const [isConnecting, setConnecting] = useState(false);
  const { data: tag } = useQuery({
    queryKey: ["tags", "to pull", repo.uid],
    queryFn: async () => {
      const list = { childrenOf: repo.uid, pageSize: 1 };
      const [latest] = await client.tags.list({ ...list, name: "latest" }).all(1);
      if (latest) return latest;
      const [newest] = await client.tags.list({ ...list, orderBy: "update_time desc" }).all(1);
      return newest ?? null;
    },
  });
  if (!image || !tag?.digest) return null;
  return (
    <div class="repositories-pull">
      <CopyLine text={pullCommand(image, tag, isPinned)} what="pull command" />
      <label class="repositories-pin">
        <input
          type="checkbox"
          checked={isPinned}
          onChange={({ currentTarget }) => setPinned(currentTarget.checked)}
        />
        Pin to the digest
      </label>
      <Button onClick={() => setConnecting(true)}>Connect</Button>
      {isConnecting && (
        <ConnectDialog
          image={`${image}${isPinned ? `@${tag.digest}` : `:${tag.name}`}`}
          onClose={() => setConnecting(false)}
        />
      )}
    </div>
  );
}

const pullCommand = (image: string, { name, digest }: Tag, isPinned: boolean) =>
  `docker pull ${image}${isPinned ? `@${digest}` : `:${name}`}`;

/** The login and the pull for each kind of client. A client reads its password, a token, from a pipe. */
const clients = [
  {
    title: "Docker",
    hint: "The first command lets Docker get its tokens from platformctl.",
    login: () => "platformctl login",
    pull: (image: string) => `docker pull ${image}`,
  },
  {
    title: "Podman",
    hint: "The token of the first command is valid for an hour.",
    login: (host: string) => loginWith("podman login", host),
    pull: (image: string) => `podman pull ${image}`,
  },
  {
    title: "crane",
    hint: "The token of the first command is valid for an hour.",
    login: (host: string) => loginWith("crane auth login", host),
    pull: (image: string) => `crane pull ${image} image.tar`,
  },
  {
    title: "A CI job",
    hint: "The job logs in with the token that its CI system signs. The guide says where it is.",
    guide: "ci",
    login: (host: string) =>
      `printf %s "$ID_TOKEN" | docker login -u oidc --password-stdin ${host}`,
    pull: (image: string) => `docker pull ${image}`,
  },
  {
    title: "Kubernetes",
    hint: "The cluster logs in with tokens of its own, once it is set up as in the guide.",
    guide: "kubernetes",
    login: undefined,
    pull: (image: string) => `kubectl create deployment app --image ${image}`,
  },
];

const loginWith = (command: string, host: string) =>
  `platformctl auth token --audience registry | ${command} -u _token --password-stdin ${host}`;

/** How each kind of client logs in to the registry and pulls the image. */
function ConnectDialog({ image, onClose }: { image: string; onClose: () => void }) {
  const [host = ""] = image.split("/");
  return (
    <Dialog title="Connect" onClose={onClose}>
      <div class="form">
        {clients.map(({ title, hint, guide, login, pull }) => (
          <Way key={title} title={title} hint={hint}>
            {login && <CopyLine text={login(host)} what={`login of ${title}`} />}
            <CopyLine text={pull(image)} what={`pull of ${title}`} />
            {guide !== undefined && <a href={`/docs/${guide}`}>Read the guide</a>}
          </Way>
        ))}
      </div>
    </Dialog>
  );
}

/** The commands and references of a tag. */
export function PullDialog({ repo, tag, onClose }: { repo: Repo; tag: Tag; onClose: () => void }) {
  const image = useImageName(repo);
  return (
    <Dialog title={`Pull ${repo.name}:${tag.name}`} onClose={onClose}>
      {image === undefined ? (
        <Loading lines={3} />
      ) : (
        <div class="form">
          <Way title="By its tag" hint="This pulls the image that the tag points to at that time.">
            <CopyLine text={pullCommand(image, tag, false)} what="pull command with the tag" />
          </Way>
          <Way
            title="Pinned to its digest"
            hint="This always pulls the same image, even after the tag moves or is deleted."
          >
            <CopyLine text={pullCommand(image, tag, true)} what="pull command with the digest" />
          </Way>
          <Way title="Reference" hint="For a Dockerfile or a manifest: the tag is for people only.">
            <CopyLine text={`${image}:${tag.name}@${tag.digest}`} what="reference" />
          </Way>
          <p class="pale">
            Log in first: <a href="/docs/push-and-pull">Push and pull images</a>.
          </p>
        </div>
      )}
    </Dialog>
  );
}

function Way({
  title,
  hint,
  children,
}: {
  title: string;
  hint: string;
  children: ComponentChildren;
}) {
  return (
    <section class="repositories-way">
      <h3>{title}</h3>
      {children}
      <p class="hint">{hint}</p>
    </section>
  );
}
