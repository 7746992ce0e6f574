export default function People() {
  return <p>People</p>;
}
