export const Bar = ({ share }: { share: number }) => (
  <span className="bar" aria-hidden style={{ inlineSize: `${100 * share}%` }} />
);
