export default function Terminal() {
  return <p>Terminal</p>;
}
