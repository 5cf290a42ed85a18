"""Train the perceptron of ``examples/mlp.py``: writes ``digits.npz`` beside this file.

Needs scikit-learn, which nothing else here does: ``pip install scikit-learn``, then
``python examples/digits/train.py``. The network is trained in floating point and quantised to int8:
weights of 8 bits, sums and biases of 32, and hidden values of 8 bits, a sum shifted right.
"""

from pathlib import Path

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split
from sklearn.neural_network import MLPClassifier

HIDDEN = 16
PIXEL = 16  # the largest value of a pixel: pixels are used as they are, 0 to 16


def main():
    images, labels = load_digits(return_X_y=True)
    split = train_test_split(images, labels, test_size=360, random_state=1, stratify=labels)
    train, test, train_labels, test_labels = split
    float_net = MLPClassifier((HIDDEN,), alpha=1.0, max_iter=3000, random_state=1)
    float_net.fit(train / PIXEL, train_labels)
    (first, second), (first_bias, second_bias) = float_net.coefs_, float_net.intercepts_

    scale = 127 / np.abs(first).max()
    weights1 = np.round(first * scale)
    bias1 = np.round(first_bias * scale * PIXEL)
    sums = np.maximum(train @ weights1 + bias1, 0)
    shift = max(0, int(np.ceil(np.log2(np.percentile(sums, 99.9) / 127))))
    hidden_scale = scale * PIXEL / 2**shift
    scale2 = 127 / np.abs(second).max()
    weights2 = np.round(second * scale2)
    bias2 = np.round(second_bias * scale2 * hidden_scale)

    hidden = np.clip((test @ weights1 + bias1).astype(int) >> shift, 0, 127)
    found = (hidden @ weights2 + bias2).argmax(axis=1)
    print(f"float: {float_net.score(test / PIXEL, test_labels):.3f} of {len(test)} images right")
    print(f"int8:  {np.mean(found == test_labels):.3f}; hidden sums shifted by {shift}")
    np.savez_compressed(
        Path(__file__).with_name("digits.npz"),
        weights1=weights1.astype(np.int8),
        bias1=bias1.astype(np.int32),
        weights2=weights2.astype(np.int8),
        bias2=bias2.astype(np.int32),
        shift=np.int8(shift),
        images=test.astype(np.int8),
        labels=test_labels.astype(np.int8),
    )


if __name__ == "__main__":
    main()
