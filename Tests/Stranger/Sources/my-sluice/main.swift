import SluiceBuiltin
import SluiceCLI

await Sluice.main(catalog: .builtin.adding(KeyValues.self))
