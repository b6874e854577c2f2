/** Two tags or images next to each other. */
import { useState } from "preact/hooks";
import { Link } from "wouter-preact";
import type { Choice } from "../data/choices.ts";
import { useParameters } from "../data/parameters.ts";
import { rootOf } from "../data/uids.ts";
import { Button } from "../elements/button.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { Page } from "../elements/page.tsx";
import { Picker } from "../elements/pickers.tsx";
import { Empty } from "../elements/states.tsx";
import { addresses } from "../frame/addresses.ts";
import { Comparison } from "./comparison.tsx";
import { type Side, tagChoices, useSide } from "./sides.ts";

export default function Compare() {
  const { get, set } = useParameters();
  const [first, second] = [useSide(get("first")), useSide(get("second"))];
  const { repo } = first;
  const title =
    second.name === "" ? `Compare ${first.name || "two images"}` : "Two images compared";
  if (first.name === "")
    return (
      <Page title={title}>
        <Empty title="This address does not name an image">
          <p>Open a tag or an image, and choose “Compare with…” there.</p>
        </Empty>
      </Page>
    );
  return (
    <Page
      title={title}
      path={[
        ["Repositories", addresses.repositories(rootOf(repo))],
        [first.repoName || "Repository", addresses.repository(repo)],
      ]}
    >
      {first.error && <ErrorNotice error={first.error} />}
      {second.error && <ErrorNotice error={second.error} />}
      {repo !== "" && (
        <OtherSide
          repo={repo}
          second={second}
          onChoose={(uid) => set({ second: uid }, { push: true })}
          onSwap={() => set({ first: get("second"), second: get("first") }, { push: true })}
        />
      )}
      {[first, second].map((side, index) => (
        <NoImage key={index} side={side} />
      ))}
      {first.image && second.image && (
        <Comparison
          first={{ ...first, image: first.image }}
          second={{ ...second, image: second.image }}
        />
      )}
    </Page>
  );
}

/** A tag without a digest is one that nothing was pushed to yet. */
function NoImage({ side: { isEmpty, tag = "", name } }: { side: Side }) {
  if (!isEmpty) return null;
  return (
    <p>
      <Link href={addresses.tag(tag)}>
        <bdi>{name}</bdi>
      </Link>{" "}
      points to no image yet.
    </p>
  );
}

interface OtherSideProps {
  repo: string;
  second: Side;
  onChoose: (uid: string) => void;
  onSwap: () => void;
}

/** Chooses what the first image is compared with. */
function OtherSide({ repo, second, onChoose, onSwap }: OtherSideProps) {
  const [choice, setChoice] = useState<Choice>();
  return (
    <form
      class="form compare-choice"
      onSubmit={(event) => {
        event.preventDefault();
        if (choice) onChoose(choice.uid);
      }}
    >
      <Picker
        label="Compare with"
        hint="The beginning of a tag of this repository, or a digest. For another repository, the uid of the tag, or the uid of the repository, @ and the digest."
        source={tagChoices(repo)}
        nothing="No tag begins with this text."
        value={choice}
        onChange={setChoice}
      />
      <div class="compare-buttons">
        <Button
          type="submit"
          kind="primary"
          refusal={choice ? undefined : "Choose a tag or a digest first."}
        >
          Compare
        </Button>
        {second.image && <Button onClick={onSwap}>Swap the two</Button>}
      </div>
    </form>
  );
}
