export default function Branches() {
  return <p>Branches</p>;
}
