import SluiceCore
import SluiceJSON

/// A checkpoint as JSON text, in a column.
enum SavedCheckpoint {
  /// The text.
  static func text(of checkpoint: Checkpoint) -> String { JSON.text(checkpoint.savedForm) }

  /// Reads the text. Throws `invalid_state`, with the file, where it is damaged or of a newer format.
  static func read(_ text: String, path: String) throws -> Checkpoint {
    do {
      return try Checkpoint(savedForm: try JSON.parse(text))
    } catch let error as SluiceError {
      var place = error.place
      place.file = path
      if error.code == .invalidState { throw error.at(place) }
      throw SluiceError(
        .invalidState, "the checkpoint is damaged: \(error.message)", at: Place(file: path),
        hint: "it was left as it is; restore the state from a copy, or move it away to begin anew")
    }
  }
}
