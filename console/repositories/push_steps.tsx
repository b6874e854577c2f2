/** How the first image comes into a repository. */
import type { Repo } from "../../client/index.ts";
import { useMay } from "../data/may.ts";
import { useImageName } from "../data/references.ts";
import { refusalOf } from "../data/refusals.ts";
import { CopyLine } from "../elements/copy.tsx";
import { Empty } from "../elements/states.tsx";

/** `hint` says what else can be the reason why there is nothing to see. */
export function NoTagsYet({ repo, hint }: { repo: Repo; hint: string }) {
  const image = useImageName(repo);
  const refusal = refusalOf(useMay(repo.uid), "this repository", "CAP_TAG_CREATE");
  return (
    <Empty title="There are no tags here yet">
      {refusal ? (
        <p>To push an image: {refusal}</p>
      ) : (
        image && (
          <>
            <p>Log in once, and push an image. Its tag then appears here.</p>
            <CopyLine text="platformctl login" what="login" />
            <CopyLine text={`docker tag app ${image}:1.0`} what="command that names your image" />
            <CopyLine text={`docker push ${image}:1.0`} what="push command" />
          </>
        )
      )}
      <p>
        <a href="/docs/push-and-pull">Push and pull images</a> has other tools. {hint}
      </p>
    </Empty>
  );
}
